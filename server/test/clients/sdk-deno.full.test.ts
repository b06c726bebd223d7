// The SDK on Deno, which gets no rights but to read its folder and to call servers.
import { findDeno } from '../support/programs/runtimes.ts'
import { testRuntime } from './packed-sdk.ts'

testRuntime(() => findDeno(), ['run', '--no-prompt', '--allow-net', '--allow-read=.'])
