/** Starts the pages of the console in a browser. */

import { render } from 'preact'
import { App } from './app.tsx'
import { startRouter } from './router.ts'

startRouter()
const root = document.getElementById('app')
if (root) render(<App />, root)
