// Ends what tests open: when the test is over, or when all tests of its suite are if it was opened for these.
import { beforeAll, onTestFinished } from 'vitest'

type End = () => unknown

let ofSuite: End[] | null = null

export function whenDone(end: End): void {
  if (ofSuite === null) onTestFinished(async () => void (await end()))
  else ofSuite.push(end)
}

/** Opens something for all tests of a suite; they get it from the returned function. */
export function openForSuite<Opened>(open: () => Promise<Opened>): () => Opened {
  let opened: { it: Opened } | null = null
  beforeAll(async () => {
    const ends: End[] = []
    const endAll = async () => {
      for (const end of ends.reverse()) await end()
    }
    ofSuite = ends
    try {
      opened = { it: await open() }
    } catch (error) {
      await endAll()
      throw error
    } finally {
      ofSuite = null
    }
    return endAll
  })
  return () => {
    if (opened === null) throw new Error('only the tests of the suite may use it')
    return opened.it
  }
}
