// The server's package on the Node of this checkout.
import { testCommands } from './packed-server.ts'

testCommands(() => process.execPath)
