// Runs the contract for both stores.
import { inject } from 'vitest'
import { describeStore } from './contract.ts'
import { openProcessStore, openRedisStore } from './stores.ts'

describeStore('in the process', openProcessStore)
describeStore('on Redis', openRedisStore(inject('redisUrl')))
