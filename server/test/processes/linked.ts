// Two ends of a link in this process, over a real socket, as two processes of one machine have them.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { errorCodec, firstProcessUnreachable } from '../../src/processes/error-codec.ts'
import { createLink, type Link } from '../../src/sockets/link.ts'

export async function createLinks(): Promise<{ first: Link; other: Link }> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const other = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [first] = (await once(server, 'connection')) as [Socket]
  server.close()
  const options = { errors: errorCodec, unreachable: firstProcessUnreachable }
  return { first: createLink(first, options), other: createLink(other, options) }
}
