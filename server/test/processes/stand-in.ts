// A stand-in for another process of the product, which the first one starts: joins with the version of its environment
// and says how that went. Serves nothing.
import { joinFirstProcess } from '../../src/processes/other-process.ts'
import { createMemoryLog } from '../kv/stores.ts'

const end = (exitCode: number) => process.exit(exitCode)

try {
  const { reportReady } = await joinFirstProcess(process.env.STAND_IN_VERSION ?? '', createMemoryLog().log, () =>
    end(0),
  )
  reportReady({ families: () => [], writeUsage: () => Promise.resolve(), stop: () => Promise.resolve() })
} catch (error) {
  end(String(error).includes('must have the same version') ? 3 : 4)
}
