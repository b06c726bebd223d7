// Environments and keys for the tests of the configuration.
import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { StartupProblem } from '../../src/domain/startup-problem.ts'

export type Environment = Record<string, string>

export const rsa = (bits: number, publicExponent?: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits, publicExponent })
export const pemOf = (key: ReturnType<typeof rsa>) => key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
export const signing = rsa(2048)
export const pem = pemOf(signing)
export const jwk = (kid: string) => ({ ...signing.publicKey.export({ format: 'jwk' }), kid })
export const key32 = Buffer.alloc(32, 7).toString('base64')

export const distributed: Environment = {
  DATABASE_URL: 'postgres://someone:hunter2@db.example/sallyport',
  REDIS_URL: 'redis://:hunter2@cache.example:6379',
  ADMIN_SECRET: 'an admin secret of enough length',
  JWT_PRIVATE_KEY: pem,
  ENCRYPTION_KEY: key32,
}

export function refusalOf(environment: Environment): string {
  try {
    loadConfig(environment)
  } catch (problem) {
    expect(problem).toBeInstanceOf(StartupProblem)
    return (problem as StartupProblem).message
  }
  return 'accepted'
}
