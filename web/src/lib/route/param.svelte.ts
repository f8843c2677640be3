// One parameter of the address as a value of its own type: read it, set it, and the address follows.
import { asPosition } from './place';
import { router } from './router.svelte';

export interface Param<Value> {
  value: Value;
}

/** A text; empty where it is not given. */
export function textParam(name: string): Param<string> {
  return {
    get value() {
      return router.query(name);
    },
    set value(text: string) {
      router.change({ [name]: text }, 'replace');
    },
  };
}

/** What is open beside the page. Going from one to the next leaves no step to go back to; opening and closing do. */
export function openParam(): Param<string> {
  return {
    get value() {
      return router.query('open');
    },
    set value(id: string) {
      const isNext = router.query('open') !== '' && id !== '';
      router.change({ open: id, record: null }, isNext ? 'replace' : 'push');
    },
  };
}

/** One of a few words; the first where none, or another, is given. */
export function wordParam<Word extends string>(name: string, words: readonly [Word, ...Word[]]): Param<Word> {
  return {
    get value() {
      const given = router.query(name);
      return words.find((word) => word === given) ?? words[0];
    },
    set value(word: Word) {
      router.change({ [name]: word === words[0] ? '' : word });
    },
  };
}

/** A number from 1 on; null where none is given. */
export function numberParam(name: string): Param<number | null> {
  return {
    get value() {
      return asPosition(router.query(name));
    },
    set value(number: number | null) {
      router.change({ [name]: number === null ? '' : String(number) }, number === null ? 'push' : 'replace');
    },
  };
}

/** A column to sort by; `-` before it turns the order around. */
export interface Sort {
  key: string;
  isDown: boolean;
}

export function sortParam(name = 'sort'): Param<Sort | null> {
  return {
    get value() {
      const given = router.query(name);
      if (given === '') return null;
      return given.startsWith('-') ? { key: given.slice(1), isDown: true } : { key: given, isDown: false };
    },
    set value(sort: Sort | null) {
      router.change({ [name]: sort === null ? '' : `${sort.isDown ? '-' : ''}${sort.key}` });
    },
  };
}
