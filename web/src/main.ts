// Where the dashboard begins, behind what is asked for early: it shows the shell.
import './early';
import { mount } from 'svelte';
import App from './App.svelte';
import { keys } from './lib/keys/keys.svelte';
import { theme } from './lib/look/theme.svelte';
import { machine } from './lib/time/machine.svelte';
import './styles/tokens.css';
import './styles/base.css';

theme.show();
keys.begin();
machine.begin();

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no place for the dashboard');
mount(App, { target });
