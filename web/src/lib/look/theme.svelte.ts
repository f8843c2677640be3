// Light, dark, or as the system has it. The choice is remembered; tokens.css does the rest.
import { kept } from './kept.svelte';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const choice = kept<Theme>('weft-theme', 'system', (value): value is Theme => THEMES.includes(value as Theme));

class ThemeChoice {
  get value(): Theme {
    return choice.value;
  }

  set value(theme: Theme) {
    choice.value = theme;
    this.show();
  }

  /** Whether it is dark now, by choice or by the system. */
  get isDark(): boolean {
    return this.value === 'dark' || (this.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  }

  toggle(): void {
    this.value = this.isDark ? 'light' : 'dark';
  }

  show(): void {
    if (this.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = this.value;
  }
}

export const theme = new ThemeChoice();
