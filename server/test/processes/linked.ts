// Two ends of a link in this process, over real sockets, as two processes of one machine have them.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { errorCodec, firstProcessUnreachable } from '../../src/processes/error-codec.ts'
import { createLink, type Link } from '../../src/sockets/link.ts'

export interface Links {
  first: Link
  other: Link
  /** Ends the other's end as the system does when it kills a process: its messages so far arrive, no more of ours do. */
  killOther(): void
}

export async function createLinks(): Promise<Links> {
  const [toOther, fromFirst] = await connectPair()
  const [toFirst, fromOther] = await connectPair()
  const options = { errors: errorCodec, unreachable: firstProcessUnreachable }
  return {
    first: createLink({ input: fromOther, output: toOther }, options),
    other: createLink({ input: fromFirst, output: toFirst }, options),
    killOther() {
      fromFirst.resetAndDestroy()
      toFirst.end()
    },
  }
}

async function connectPair(): Promise<[Socket, Socket]> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const one = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [other] = (await once(server, 'connection')) as [Socket]
  server.close()
  return [one, other]
}
