import Joi from 'joi'
import type { ReviewLinkRow } from '../../access/review-links/review-links.store.js'
import { ApiError } from '../../errors.js'
import type { Principal, ReviewLinkGrant } from '../../http/principal.js'
import type { LinkToOpen, ReviewLink } from '../../interface/generated/types.js'

/** Parts of the definition that all operations for the holder of a link share. */
export const byLink = { surfaces: ['review'], permission: 'review' } as const

export const reviewLinkFields = {
  id: Joi.string().required(),
  name: Joi.string().required().description('Whom it is for.'),
  mail: Joi.string().description('The address that the link was sent to; absent if its maker handed it over.'),
  madeBy: Joi.string().required().description("The name of the link's maker."),
  createdAt: Joi.string().isoDate().required(),
  expiresAt: Joi.string().isoDate().required(),
}

export const toReviewLinkBody = (row: ReviewLinkRow & { maker_name: string }): ReviewLink => ({
  id: row.link_id,
  name: row.name,
  ...(row.mail !== null && { mail: row.mail }),
  madeBy: row.maker_name,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
})

/** Returns the link with which the caller authenticated. Throws link_token_wrong for other callers. */
export function requireGrant({ link }: Principal): ReviewLinkGrant {
  if (link === undefined) throw new ApiError('link_token_wrong')
  return link
}

/** The recipient, the maker and the expiry of a link. */
export const linkHeadFields = {
  name: Joi.string().required().description('Who the link is for.'),
  madeBy: Joi.string().required().description("The name of the link's maker."),
  organizationName: Joi.string().required(),
  timeZone: Joi.string().required().description('The IANA name of the time zone for all times.'),
  expiresAt: Joi.string().isoDate().required(),
}

export const toLinkHead = ({
  name,
  makerName,
  organizationName,
  timeZone,
  expiresAt,
}: ReviewLinkGrant): Omit<LinkToOpen, 'posts'> => ({
  ...{ name, organizationName, timeZone },
  madeBy: makerName,
  expiresAt: expiresAt.toISOString(),
})
