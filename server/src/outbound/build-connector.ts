// undici's connector alone. Its main module loads a hundred more, for clients that nothing here uses: 6 MB of memory.
import { createRequire } from 'node:module'
import type undici from 'undici'

export const buildConnector: typeof undici.buildConnector = createRequire(import.meta.url)('undici/lib/core/connect.js')
