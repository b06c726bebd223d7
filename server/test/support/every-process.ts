// Waits for what each process of a product learns by itself, such as the settings of a project.
import { processesOfProduct } from './start-product.ts'

/** The system spreads new connections over the processes: one of two gets none of these once in 65,536 times. */
const connections = processesOfProduct === 1 ? 1 : 16

/**
 * For `expect.poll`: asks on a new connection each time, and returns the first answer that is not the expected one. So
 * every process has given the expected answer when this returns it.
 */
export async function inEveryProcess<T>(expected: T, ask: () => Promise<T>): Promise<T> {
  for (let count = 0; count < connections; count += 1) {
    const answer = await ask()
    if (answer !== expected) return answer
  }
  return expected
}
