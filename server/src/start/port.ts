// Checks that the port is free before anything else is opened, so that a start that fails here has changed nothing, and
// listens on it once everything else exists.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import type { Listener } from '../http/front/listener.ts'
import type { ProcessPlace } from '../processes/place.ts'
import { refuseFolderInUse } from '../storage/embedded/data-folder.ts'

export async function refuseTakenPort({ listener: { port, host }, mode, dataDir }: Config): Promise<void> {
  const probe = createServer()
  try {
    probe.listen(port, host)
    await once(probe, 'listening')
  } catch (error) {
    // A second start of the same instance gets this error, and not that the port is in use.
    if (mode === 'embedded' && isTaken(error)) refuseFolderInUse(dataDir)
    throw explain(error, port, host)
  }
  probe.close()
  await once(probe, 'close')
}

export async function listenAt(listener: Listener, config: Config, place: ProcessPlace): Promise<AddressInfo> {
  const { port, host } = config.listener
  try {
    if (place.kind === 'other') return await listener.listenOn(place.sockets)
    return await listener.listen(port, host)
  } catch (error) {
    throw explain(error, port, host)
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unknown error'
const isTaken = (error: unknown) => codeOf(error) === 'EADDRINUSE'

function explain(error: unknown, port: number, host: string): StartupProblem {
  if (isTaken(error)) return new StartupProblem(`PORT ${port} is already in use on ${host}.`, error)
  return new StartupProblem(`HOST ${host} with PORT ${port} cannot be listened on (${codeOf(error)}).`, error)
}
