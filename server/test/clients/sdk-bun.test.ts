// The SDK on Bun.
import { findBinary } from '../support/find-binary.ts'
import { testRuntime } from './packed-sdk.ts'

testRuntime(() => findBinary('bun'))
