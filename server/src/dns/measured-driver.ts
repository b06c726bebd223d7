// Wraps a DNS driver and counts the outcome of each attempt.
import type { Metrics } from '../domain/metrics.ts'
import { DnsFailure } from './dns-failure.ts'
import type { DnsDriver } from './driver.ts'

export function measureDriver(driver: DnsDriver, metrics: Pick<Metrics, 'dnsAttempted'>): DnsDriver {
  const measured =
    (action: 'register' | 'remove'): DnsDriver['register'] =>
    async (hosts, signal) => {
      try {
        await driver[action](hosts, signal)
        metrics.dnsAttempted(action, 'done')
      } catch (error) {
        metrics.dnsAttempted(action, error instanceof DnsFailure ? error.kind : 'unexpected')
        throw error
      }
    }
  return { register: measured('register'), remove: measured('remove') }
}
