// What the outbound tests stand on: a real name server with scripted answers, real local upstreams, the corpus.
import { createSocket, type RemoteInfo } from 'node:dgram'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, isIP, type Server as NetServer } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses, or what else a name server may do. */
export type Zone = (name: string, askedBefore: number) => string[] | 'SERVFAIL' | 'SILENT'

export interface NameServer {
  address: string
  /** How often each name was asked for, both families counted. */
  asked: Map<string, number>
  total(): number
  stop(): Promise<void>
}

export async function startNameServer(zone: Zone): Promise<NameServer> {
  const asked = new Map<string, number>()
  const perType = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const before = perType.get(`${type} ${name}`) ?? 0
    perType.set(`${type} ${name}`, before + 1)
    answer(query.subarray(0, end), type, zone(name, before), from)
  })
  const answer = (question: Buffer, type: number, found: ReturnType<Zone>, to: RemoteInfo) => {
    if (found === 'SILENT') return
    const family = type === 1 ? 4 : type === 28 ? 6 : 0
    const addresses = found === 'SERVFAIL' ? [] : found.filter(address => isIP(address) === family)
    const header = Buffer.from(question)
    header.writeUInt16BE(found === 'SERVFAIL' ? 0x8182 : 0x8180, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.writeUInt32BE(0, 8)
    const records = addresses.map(address => {
      const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
      return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes])
    })
    socket.send(Buffer.concat([header, ...records]), to.port, to.address)
  }
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    total: () => [...asked.values()].reduce((sum, count) => sum + count, 0),
    stop: () => new Promise(resolve => socket.close(() => resolve())),
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

export async function listen(server: Server | NetServer): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

interface Case {
  layer: string
  url: string
  note: string
}

export function readCorpus(): Case[] {
  return readLines('ssrf.txt').map(line => {
    const [layer = '', url = '', note = ''] = line.split('\t')
    return { layer, url: JSON.parse(url) as string, note }
  })
}

export function readControls(): string[] {
  return readLines('ssrf_allow.txt')
}

function readLines(name: string): string[] {
  const text = readFileSync(new URL(`../data/security/${name}`, import.meta.url), 'utf8')
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
}

/** A throwaway key pair for `localhost` that nobody vouches for. */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/tpC8/yxGarNFUVp
ODEaqHANJEMU0QSRTS8TUyPkatKhRANCAAQEeDidc3KrIn0UgRT+RAMApBV6oEQy
iCvnIgFVXzzBNX3L/04KK5304L0oc5HW5FSHwVVwZDe48gIahnT4Efjh
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUQNLjyjfV6/wNMdLVXsP9skHny9gwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MDUwMFoYDzIxMjYxMDI4
MDkwNTAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQEeDidc3KrIn0UgRT+RAMApBV6oEQyiCvnIgFVXzzBNX3L/04KK530
4L0oc5HW5FSHwVVwZDe48gIahnT4Efjho2kwZzAdBgNVHQ4EFgQU41YYoSrvNC9N
c9awU9Ag5kw0eMEwHwYDVR0jBBgwFoAU41YYoSrvNC9Nc9awU9Ag5kw0eMEwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAKsQSexDO+old/Yf4btdvtaqrEY45PtSjnp5tAQocaefAiEAq6sGdp+A
VADUs6FDCegGI5ZRHdCwh54vZ0FwQIw3JJA=
-----END CERTIFICATE-----`,
}
