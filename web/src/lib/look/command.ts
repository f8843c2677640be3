// Terminal commands that show what the page shows, quoted so that every shell reads them as meant.

/** Writes a command of its words; those that are undefined are left out. */
export function command(...words: (string | number | null | undefined)[]): string {
  const given = words.filter((word) => word !== undefined && word !== null && word !== '');
  return ['weft', ...given.map((word) => shellWord(String(word)))].join(' ');
}

/** Writes the options that put a command at a moment of the past. */
export function atWords(at: number | null): (string | number)[] {
  return at === null ? [] : ['--at', at];
}

/** Returns the command that shows the records that match, up to a moment of the past or all of them. */
export function logCommand(filter: string, at: number | null): string {
  return command('log', filter, ...(at === null ? [] : ['--before', at + 1]));
}

/** Returns the command that shows what an actor did, up to a moment of the past or all of it. */
export function actorLog(actor: string, at: number | null): string {
  return logCommand(`actor=${filterValue(actor)}`, at);
}

/** Returns a value of the filter language: in quotes, unless it can only be read as it stands. */
export function filterValue(text: string): string {
  return isPlain(text) ? text : `"${text.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')}"`;
}

/** Returns a word of a shell: in quotes, unless every shell reads it as it stands. */
export function shellWord(text: string): string {
  if (isPlain(text) || /^--[a-z-]+$/.test(text)) return text;
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined && isPlain(name) && isPlain(value)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function isPlain(text: string): boolean {
  return /^[A-Za-z0-9@._:/+][A-Za-z0-9@._:/+-]*$/.test(text);
}
