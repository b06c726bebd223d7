// The SDK on Bun.
import { findBun } from '../support/runtimes.ts'
import { testRuntime } from './packed-sdk.ts'

testRuntime(() => findBun())
