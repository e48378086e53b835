/** Registers the hooks that make the program deaf to a key: `node --import tsx --import ./tools/deaf-keys/register.mjs`. */

import { register } from 'node:module'

register('./hooks.mjs', import.meta.url)
