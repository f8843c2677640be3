// A choice that this browser remembers. What cannot be read, or is of another form, is as if it was never made.

export interface Kept<Value> {
  value: Value;
}

export function kept<Value>(name: string, usual: Value, isGood: (value: unknown) => value is Value): Kept<Value> {
  let value = $state.raw(read(name, usual, isGood));
  return {
    get value() {
      return value;
    },
    set value(next: Value) {
      value = next;
      try {
        localStorage.setItem(name, JSON.stringify(next));
      } catch {
        // A browser that keeps nothing still shows everything.
      }
    },
  };
}

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function read<Value>(name: string, usual: Value, isGood: (value: unknown) => value is Value): Value {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return isGood(value) ? value : usual;
  } catch {
    return usual;
  }
}
