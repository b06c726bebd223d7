// What a DNS driver is: it makes a project's host names lead to this service, and takes them away again.
// Knows no provider, no project and no database; a new driver is one file here and one line in create-driver.ts.

/** What project hosts point at; the kind of record follows from its form. */
export interface DnsTarget {
  type: 'A' | 'AAAA' | 'CNAME'
  target: string
}

/** The two names of a project. The internal one may lie where the zone does not reach; the public one may not. */
export interface HostNames {
  public: string
  internal: string
}

export interface DnsDriver {
  /** Harmless to repeat. Throws DnsFailure; may leave half of it done. */
  register(hosts: HostNames, signal: AbortSignal): Promise<void>
  /** Harmless to repeat, and where there is nothing. Throws DnsFailure; may leave half of it done. */
  remove(hosts: HostNames, signal: AbortSignal): Promise<void>
}

/** Short, since a suspended project's names should be forgotten soon. */
export const recordTtlSeconds = 300

/** The kinds of record that a host name of ours may have. All of them are ours to replace, and no others are. */
export const recordTypes = ['A', 'AAAA', 'CNAME'] as const
