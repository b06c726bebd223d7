// The page's start: shows whether the gateway is alive. Asks through api.ts only.
import { isAlive } from './api.ts'

const state = document.querySelector('#state')
if (state === null) throw new Error('the page has no element #state')
state.textContent = (await isAlive()) ? 'The gateway is running.' : 'The gateway does not answer.'
