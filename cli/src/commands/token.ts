// `token`: a token of one's own for a project, for coding agents and scripts.
import { type Command, textOption } from '../frame/command.ts'
import { Failure } from '../frame/failure.ts'
import { printError } from '../frame/terminal.ts'

export const tokenCommand: Command = {
  name: 'token',
  summary: 'Print a token for your own use of a project',
  example: 'sallyport token --project amber-falcon-4821 --ttl 28800',
  options: [
    ['--ttl <seconds>', 'how long it lasts, 60 to 86400 (default: 3600)'],
    ['--tier <tier>', 'a tier of the project'],
  ],
  async run(input, context) {
    const ttl = textOption(input, 'ttl')
    if (ttl !== undefined && !/^\d{1,6}$/.test(ttl)) throw new Failure('--ttl must be a number of seconds')
    const tier = textOption(input, 'tier')
    const { id: projectId } = await context.project()
    const body = { ...(ttl === undefined ? {} : { ttl: Number(ttl) }), ...(tier === undefined ? {} : { tier }) }
    const path = '/auth/v1/projects/{projectId}/tokens'
    const minted = await context.client().request('POST', path, { path: { projectId }, body })
    if (minted.warning !== undefined) printError(minted.warning)
    // Alone on stdout, so that other programs can read it.
    return { json: minted, text: minted.access_token }
  },
}
