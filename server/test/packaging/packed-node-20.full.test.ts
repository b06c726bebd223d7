// The server's package on a machine with an older Node: the command starts there and runs the product on the packaged
// Node.
import { findNode20 } from '../support/programs/runtimes.ts'
import { testCommands } from './packed-server.ts'

testCommands(() => findNode20())
