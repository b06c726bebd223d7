// A lease on the file of a project, so that of several programs that apply it again and again, one does.

import { z } from 'zod'
import { fileLease, releaseLeases, takeLeases } from '../../storage/leases.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

const maxSeconds = 3600
const holderError = { error: 'holder must be a string of 1-100 characters' }
const secondsError = { error: `seconds must be an integer 0-${maxSeconds}` }

export function fileLeaseRoute({ sql, now }: ManagementDependencies): Route {
  return route({
    method: 'POST',
    path: '/auth/v1/projects/:projectId/file-lease',
    operation: 'takeFileLease',
    summary: "Take, renew or give back the lease on a project's file; it keeps nobody from writing",
    // It changes nothing of the project, and is renewed every few seconds.
    audit: null,
    credential: 'session',
    owner: 'project',
    permission: 'settings:write',
    body: z.object({
      holder: z.string(holderError).min(1, holderError).max(100, holderError),
      seconds: z
        .int(secondsError)
        .min(0, secondsError)
        .max(maxSeconds, secondsError)
        .meta({ description: 'How long it is held without a renewal; 0 gives it back' }),
    }),
    answers: {
      200: z.object({
        is_held: z.boolean().meta({ description: 'Whether this holder has it now' }),
        expires_at: z.string().nullable().meta({ description: 'Null if this holder does not have it' }),
      }),
    },
    async handle({ owned, body: { holder, seconds } }) {
      const name = fileLease(owned.project.id)
      if (seconds === 0) {
        await releaseLeases(sql, [name], holder)
        return { status: 200, body: { is_held: false, expires_at: null } }
      }
      const time = now()
      const taken = await takeLeases(sql, { names: [name], holder, forMs: seconds * 1000, now: () => time })
      const isHeld = taken.length > 0
      return { status: 200, body: { is_held: isHeld, expires_at: isHeld ? isoTime(time + seconds * 1000) : null } }
    },
  })
}
