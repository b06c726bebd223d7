// The SDK on Bun.
import { findBun } from '../support/programs/runtimes.ts'
import { testRuntime } from './packed-sdk.ts'

testRuntime(() => findBun())
