// Sends dynamic updates (RFC 2136) to a DNS server of the operator, signed if there is a key. Both names of a project
// change in one message, which the server applies as a whole or not at all.
import { randomInt } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { coveredNames } from './covered-names.ts'
import { DnsFailure } from './dns-failure.ts'
import { isUpdateAnswer, readMessage, recordClass, recordType, writeName, writeUpdate } from './dns-message.ts'
import { type DnsDriver, type DnsTarget, recordTtlSeconds, recordTypes } from './driver.ts'
import { type DnsServer, queryOverTcp } from './query-over-tcp.ts'
import { findSignature, isSignedAnswer, signMessage, type TsigKey } from './tsig.ts'
import { updateRefusal } from './update-refusal.ts'

export interface Rfc2136Settings {
  target: DnsTarget
  server: DnsServer
  zone: string
  /** Null sends unsigned updates, for servers that trust addresses. */
  key: TsigKey | null
}

type WireRecord = Parameters<typeof writeUpdate>[2][number]

export function createRfc2136Driver(settings: Rfc2136Settings, now: () => number): DnsDriver {
  const { target, zone } = settings
  const added = { type: recordType[target.type], class: recordClass.IN, ttl: recordTtlSeconds, data: dataOf(target) }
  return {
    async register(hosts, signal) {
      const names = coveredNames(zone, hosts)
      const records = names.flatMap(name => [...deletionsOf(name), { name, ...added }])
      await update(settings, records, now, signal)
    },
    async remove(hosts, signal) {
      await update(settings, coveredNames(zone, hosts).flatMap(deletionsOf), now, signal)
    },
  }
}

/** Deletes every type: the operator may have changed the target's form since the name was registered. */
function deletionsOf(name: string): WireRecord[] {
  return recordTypes.map(type => ({
    name,
    type: recordType[type],
    class: recordClass.ANY,
    ttl: 0,
    data: Buffer.alloc(0),
  }))
}

function dataOf({ type, target }: DnsTarget): Buffer {
  return type === 'CNAME' ? writeName(target) : Buffer.from(ipaddr.parse(target).toByteArray())
}

async function update(
  { server, zone, key }: Rfc2136Settings,
  records: WireRecord[],
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  const id = randomInt(65_536)
  const message = writeUpdate(id, zone, records)
  const signed = key === null ? null : signMessage(message, key, now())
  const answer = await queryOverTcp(server, signed?.bytes ?? message, signal)
  const { rcode, error } = readAnswer(answer, id)
  if (rcode !== 0) throw updateRefusal(rcode, error, zone, key !== null)
  // Only a success must be authentic: an attacker on the path could forge it, and gains nothing by an error.
  if (key !== null && signed !== null && !isSignedAnswer(answer, signed.mac, key, now())) {
    throw new DnsFailure('bad_answer', 'The response of the DNS server has no valid signature of the key.')
  }
}

function readAnswer(answer: Buffer, id: number): { rcode: number; error: number } {
  try {
    const message = readMessage(answer)
    if (isUpdateAnswer(message, id)) return { rcode: message.rcode, error: findSignature(answer)?.error ?? 0 }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw new DnsFailure('bad_answer', 'The DNS server sent an invalid response to the update.')
}
