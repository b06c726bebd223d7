// The contract of a DNS driver: it registers a project's host names, so that they point to this service, and
// removes them. A new driver is one file here and one line in create-driver.ts.

/** The target of project hosts; the type of record depends on its form. */
export interface DnsTarget {
  type: 'A' | 'AAAA' | 'CNAME'
  target: string
}

/** The two names of a project. The zone must contain the public one; it need not contain the internal one. */
export interface HostNames {
  public: string
  internal: string
}

export interface DnsDriver {
  /** Idempotent. Throws DnsFailure; may leave half of the work done. */
  register(hosts: HostNames, signal: AbortSignal): Promise<void>
  /** Idempotent, also without records. Throws DnsFailure; may leave half of the work done. */
  remove(hosts: HostNames, signal: AbortSignal): Promise<void>
}

/** Short, since a suspended project's names should expire soon. */
export const recordTtlSeconds = 300

/** The types of record that our host names may have. A driver replaces all of them, and no others. */
export const recordTypes = ['A', 'AAAA', 'CNAME'] as const
