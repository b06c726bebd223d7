// Reads REDIS_URL. Its errors must not quote the address, which may hold a password.
import { StartupProblem } from '../../../domain/startup-problem.ts'

export interface RedisAddress {
  host: string
  port: number
  isEncrypted: boolean
  user: string
  password: string
  database: number
}

const defaultPort = 6379

export function readRedisAddress(text: string): RedisAddress {
  try {
    const url = new URL(text)
    const database = url.pathname.replace(/^\//, '')
    if (!['redis:', 'rediss:'].includes(url.protocol) || !/^\d{0,5}$/.test(database)) throw unreadable()
    return {
      // Brackets are the notation of an IPv6 address in a URL, not part of it.
      host: url.hostname.replace(/^\[|\]$/g, '') || 'localhost',
      port: url.port === '' ? defaultPort : Number(url.port),
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
 * The first commands on a new connection; the reply to the last one shows whether the connection can be used. The
 * password is sent with a user name: a server without a password then accepts any.
 */
export function greetingsOf({ user, password, database }: RedisAddress): string[][] {
  const greetings: string[][] = []
  if (password !== '') greetings.push(['AUTH', user || 'default', password])
  if (database > 0) greetings.push(['SELECT', String(database)])
  return [...greetings, ['PING']]
}
