// Describes an environment variable beside its parser, for --help and the tables in docs.
import { z } from 'zod'

interface About {
  meaning: string
  /** Describes a default that is not one fixed value. */
  otherwise?: string
  isSecret?: true
}

export const about = z.registry<About>()

export function variable<S extends z.ZodType>(schema: S, meaning: string, more: Omit<About, 'meaning'> = {}): S {
  about.add(schema, { meaning, ...more })
  return schema
}

export const secret = { isSecret: true } as const
