// Sample rows of second factors.
import { long, type Rows, time } from './rows.ts'

export const factorRows = {
  passkeys: [
    {
      id: 'pk1',
      user_id: 'u1',
      name: long,
      credential_id: 'AQID',
      public_key: 'MFkw',
      counter: 4_294_967_295,
      created_at: time,
      last_used_at: time,
    },
    {
      id: 'pk2',
      user_id: 'u2',
      name: '',
      credential_id: '',
      public_key: '',
      counter: 0,
      created_at: 0,
      last_used_at: null,
    },
  ],
  totp_secrets: [
    { user_id: 'u1', ciphertext: 'v1.x', created_at: time, confirmed_at: time, last_step: 59_000_000 },
    { user_id: 'u2', ciphertext: '', created_at: 0, confirmed_at: null, last_step: 0 },
  ],
  backup_codes: [
    { user_id: 'u1', digest: 'a' },
    { user_id: 'u1', digest: 'b' },
  ],
  code_attempts: [
    { user_id: 'u1', failures: 10, last_at: time, locked_until: time },
    { user_id: 'u2', failures: 0, last_at: 0, locked_until: null },
  ],
  sign_in_challenges: [
    { digest: 'd1', purpose: 'second_factor', user_id: 'u1', bound_to: 'x', expires_at: time },
    { digest: '', purpose: 'sign_in', user_id: null, bound_to: null, expires_at: 0 },
  ],
} satisfies Partial<Rows>
