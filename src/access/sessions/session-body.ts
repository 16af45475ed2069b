import Joi from 'joi'
import type { Session } from '../../interface/people.js'
import { signInMethodSchema } from './me.js'
import type { SessionRow } from './sessions.store.js'

/** A session as it goes out, never with its token. */
export const sessionBody = Joi.object<Session, true>({
  id: Joi.string().required(),
  method: signInMethodSchema.required().description('How it began.'),
  userAgent: Joi.string().allow('').description('What the browser called itself.'),
  signInAddress: Joi.string().description('The address at which it began; absent where it was not noted.'),
  address: Joi.string().description(
    'The address from which it was last seen, to the minute; absent where it was not noted.',
  ),
  createdAt: Joi.string().isoDate().required(),
  lastSeenAt: Joi.string().isoDate().required().description('To the minute.'),
  expiresAt: Joi.string().isoDate().required(),
  current: Joi.boolean().required().description('Whether it is the one that asks.'),
}).label('Session')

export const toSessionBody = (row: SessionRow, currentId: string | undefined): Session => ({
  id: row.session_id,
  method: row.method,
  ...(row.user_agent === null ? {} : { userAgent: row.user_agent }),
  ...(row.address === null ? {} : { signInAddress: row.address }),
  ...(row.last_address === null ? {} : { address: row.last_address }),
  createdAt: row.created_at.toISOString(),
  lastSeenAt: row.last_seen_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  current: row.session_id === currentId,
})
