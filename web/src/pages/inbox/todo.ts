// What a person can do about each need, in a sentence.
import type { NeedKind } from '../../lib/api/words';

export const TO_DO: Record<NeedKind, string> = {
  permission: 'Allow or deny the tool where the agent runs. The need goes when the call goes on or is denied.',
  answer: 'Answer the question where the agent runs. The need goes with the answer.',
  blocked: 'It cannot go on by itself. See what it says, and help it where it runs.',
  deadlock: 'These wait for each other, or for one that will not come. Let one of them go on without the other.',
  over_budget: 'Give it more, or stop it.',
  failed: 'See what failed. The need goes when the agent goes on.',
  stuck: 'It is at work and gets nowhere. Look at its last records, then give it a hint or stop it.',
  collision: 'Two are on one thing at once. Let one of them wait.',
  idle: 'It has nothing to do. Give it work, or end it.',
};
