import { describe, expect, it } from 'vitest';
import { actorLog, atWords, command, logCommand } from './command';

describe('a command', () => {
  it('is written as it is typed', () => {
    expect(command('fleet', ...atWords(123))).toBe('weft fleet --at 123');
    expect(command('fleet', ...atWords(null))).toBe('weft fleet');
    expect(command('session', '@backend/7')).toBe('weft session @backend/7');
  });

  it('shows no record behind the moment', () => {
    expect(logCommand('', 500)).toBe('weft log --before 501');
    expect(logCommand('status=error since:2h', 500)).toBe("weft log 'status=error since:2h' --before 501");
    expect(actorLog('alpha', 500)).toBe('weft log actor=alpha --before 501');
    expect(logCommand('status=error', null)).toBe('weft log status=error');
  });

  it('quotes what a shell would read otherwise', () => {
    expect(command('log', 'status=error since:2h')).toBe("weft log 'status=error since:2h'");
    expect(command('log', "it's")).toBe(String.raw`weft log 'it'\''s'`);
    expect(command('show', '-1')).toBe("weft show '-1'");
    expect(command('log', '$(rm)')).toBe("weft log '$(rm)'");
  });

  it('quotes what a filter would read otherwise', () => {
    expect(actorLog('alpha', null)).toBe('weft log actor=alpha');
    expect(actorLog('two words', null)).toBe(`weft log 'actor="two words"'`);
    expect(actorLog('a"b', null)).toBe(String.raw`weft log 'actor="a\"b"'`);
  });
});
