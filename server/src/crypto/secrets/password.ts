// The slow hash of passwords and API keys: Argon2id, a few at a time.
import { normalForm } from '../../domain/normal-form.ts'
import { createConcurrencyGate } from '../concurrency-gate.ts'

export interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
  /** Takes as long as a real verification and always returns false: for an account that does not exist. */
  verifyAgainstNothing(password: string): Promise<false>
}

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const hashOfNothing = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`
const queueLength = 64

/**
 * Each hash occupies one thread of libuv's pool for about 15 ms, and DNS look-ups, files and signatures wait in the
 * same pool: `concurrency` must be smaller than the pool.
 */
export function createPasswordHasher(options: { concurrency: number }): PasswordHasher {
  const runGated = createConcurrencyGate({ concurrency: options.concurrency, queue: queueLength })
  const verify = (hash: string, password: string) =>
    runGated(async () => (await argon2()).verify(hash, normalise(password)))

  return {
    hash: password => runGated(async () => (await argon2()).hash(normalise(password), cost)),
    verify,
    async verifyAgainstNothing(password) {
      await verify(hashOfNothing, password)
      return false
    },
  }
}

// Loaded on first use: the native module costs memory that a process without the api role never needs.
function argon2() {
  return import('@node-rs/argon2')
}

// Keyboards differ in how they compose an accented letter; the person typed the same password.
function normalise(password: string): string {
  return normalForm(password, 'NFC')
}
