// Where the dashboard begins: it takes the token out of the address before anything is asked, then shows the shell.
import { mount } from 'svelte';
import App from './App.svelte';
import { takeToken } from './lib/api/token';
import { keys } from './lib/keys/keys.svelte';
import { theme } from './lib/look/theme.svelte';
import { machine } from './lib/time/machine.svelte';
import './styles/tokens.css';
import './styles/base.css';

takeToken();
theme.show();
keys.begin();
machine.begin();

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no place for the dashboard');
mount(App, { target });
