// What REDIS_URL says. Knows no connection; says nothing of the address, which may hold a password.
import { StartupProblem } from '../../../domain/startup-problem.ts'

export interface RedisAddress {
  host: string
  port: number
  isEncrypted: boolean
  user: string
  password: string
  database: number
}

const usualPort = 6379

export function readRedisAddress(text: string): RedisAddress {
  try {
    const url = new URL(text)
    const database = url.pathname.replace(/^\//, '')
    if (!['redis:', 'rediss:'].includes(url.protocol) || !/^\d{0,5}$/.test(database)) throw unreadable()
    return {
      // Brackets are the notation of an address of version 6, not part of it.
      host: url.hostname.replace(/^\[|\]$/g, '') || 'localhost',
      port: url.port === '' ? usualPort : Number(url.port),
      isEncrypted: url.protocol === 'rediss:',
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: Number(database),
    }
  } catch {
    throw unreadable()
  }
}

const unreadable = () => new StartupProblem('REDIS_URL is not an address like redis://host:6379')

/**
 * What a new connection says first; the last answers whether it may be used. The password goes with a name, as a server that
 * asks none takes it then, whatever it is.
 */
export function greetingsOf({ user, password, database }: RedisAddress): string[][] {
  const greetings: string[][] = []
  if (password !== '') greetings.push(['AUTH', user || 'default', password])
  if (database > 0) greetings.push(['SELECT', String(database)])
  return [...greetings, ['PING']]
}
