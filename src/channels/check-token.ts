import { BEYOND_PUBLISHING, permissionsFor } from '../graph/calls.js'
import { loginOf } from '../graph/login.js'
import { getPublishingQuota } from '../graph/publishing.js'
import { type ChannelTarget, toChannelTarget } from '../graph/target.js'
import {
  findPageOfAccount,
  getInstagramAccount,
  getInstagramOwner,
  getTokenOwner,
  inspectToken,
  listPermissions,
  mayReadComments,
  mayReadMessages,
  orTokenError,
  readFeed,
  type TokenFacts,
  tokenRefused,
} from '../graph/tokens.js'
import type { Context } from '../http/context.js'
import type { ChannelType } from '../interface/generated/types.js'
import { channelTokenContext, type TokenRecord } from './channels.store.js'

/** The platform's answers about a channel's token. */
interface CheckedToken {
  /** The token to store: a person's is replaced by that of the page of the Instagram account, which does not end. */
  accessToken: string
  /** The page of an Instagram account that is reached by Facebook login. */
  pageId: string | null
  expiresAt: Date | undefined
  /** The permissions that it lacks beyond publishing; undefined if the platform does not list them. */
  missing: string[] | undefined
}

/**
 * Asks the platform whether the token may publish on the channel, and what else it may do. Throws access_token_refused
 * (400), which says what is missing, or platform_* (502, 503, 504) if the platform gives no answer.
 */
async function checkChannelToken(
  { graph, config }: Pick<Context, 'graph' | 'config'>,
  { type, channelId }: { type: ChannelType; channelId: string },
  accessToken: string,
): Promise<CheckedToken> {
  const target = toChannelTarget(graph, { channelId, type, pageId: null }, accessToken)
  if (loginOf(accessToken) === 'instagram') return await checkInstagramLogin(target)
  const facts = await checkOwner(target, config.graph.appSecret)
  requirePublishing(target, facts)
  // These take permissions, so that they are asked for where the platform does not list them.
  if (type === 'INSTAGRAM_ACCOUNT') await orTokenError(getPublishingQuota(target))
  else if (facts === undefined) await orTokenError(readFeed(graph, target.access, target.platformId))
  const page = type === 'INSTAGRAM_ACCOUNT' ? await orTokenError(findPageOfAccount(target)) : undefined
  // Only a person's token has a list of permissions.
  const isOfPage = type === 'FB_PAGE' || page?.isOwner === true
  const scopes = facts?.scopes ?? (isOfPage ? undefined : await orTokenError(listPermissions(graph, target.access)))
  return {
    accessToken: page?.accessToken ?? accessToken,
    pageId: page?.id ?? null,
    expiresAt: page?.accessToken === undefined ? facts?.expiresAt : undefined,
    missing: scopes && missingOf(target, (permission) => scopes.includes(permission)),
  }
}

/** The token must be the page's own, or see the Instagram account. */
async function checkOwner(
  { graph, type, platformId, access }: ChannelTarget,
  appSecret: string | undefined,
): Promise<TokenFacts | undefined> {
  if (type === 'FB_PAGE') {
    const owner = await orTokenError(getTokenOwner(graph, access))
    if (owner.id !== platformId) throw notOfPage(platformId, `${owner.name} (${owner.id})`)
  } else {
    await orTokenError(getInstagramAccount(graph, access, platformId))
  }
  return await orTokenError(inspectToken(graph, access, appSecret))
}

function requirePublishing({ type, platformId }: ChannelTarget, facts: TokenFacts | undefined): void {
  if (facts === undefined) return
  const needed = [...permissionsFor(type, 'facebook', ['publish']).keys()]
  const missing = needed.filter((permission) => !isGranted(facts, permission, platformId))
  if (missing.length === 0) return
  throw tokenRefused(
    `The access token lacks ${missing.join(' and ')} for ${platformId}: grant that and give a new token.`,
  )
}

/** It is not documented whether an Instagram permission names the account or its page. */
function isGranted({ scopes, targetIds }: TokenFacts, permission: string, platformId: string): boolean {
  const isForIt = !permission.startsWith('pages_') || (targetIds.get(permission)?.includes(platformId) ?? true)
  return scopes.includes(permission) && isForIt
}

const missingOf = ({ type, access }: ChannelTarget, isGranted: (permission: string) => boolean | undefined): string[] =>
  [...permissionsFor(type, loginOf(access.accessToken), BEYOND_PUBLISHING).keys()].filter(
    (permission) => isGranted(permission) === false,
  )

/** graph.instagram.com does not list permissions, so each is tested by a call that needs it. */
async function checkInstagramLogin(target: ChannelTarget): Promise<CheckedToken> {
  const { graph, type, platformId, access } = target
  if (type === 'FB_PAGE') {
    throw tokenRefused(
      'An access token of Instagram login does not work for a Facebook page: give one of Facebook login.',
    )
  }
  const owner = await orTokenError(getInstagramOwner(graph, access))
  if (owner.id !== platformId) {
    throw tokenRefused(
      `The access token is that of ${owner.name} (${owner.id}), not of the account ${platformId}: sign in as that one.`,
    )
  }
  await orTokenError(getPublishingQuota(target))
  const granted = new Map([
    ['instagram_business_manage_messages', await orTokenError(mayReadMessages(target))],
    ['instagram_business_manage_comments', await orTokenError(mayReadComments(target))],
  ])
  const missing = missingOf(target, (permission) => granted.get(permission))
  // Its end is not known until it is refreshed.
  return { accessToken: access.accessToken, pageId: null, expiresAt: undefined, missing }
}

const notOfPage = (pageId: string, owner: string) =>
  tokenRefused(
    `The access token is that of ${owner}, not of the page ${pageId}: give the page's own, which the platform answers to /${pageId}?fields=access_token.`,
  )

/** An access token that was given for a channel. */
export interface GivenToken {
  sealed: string
  record: TokenRecord
  /** Undefined if the platform was not to be asked. */
  checked: CheckedToken | undefined
}

/** Checks a token with the platform, unless `check` is false, and seals it. Throws what `checkChannelToken` throws. */
export async function readToken(
  context: Pick<Context, 'graph' | 'config' | 'sealer' | 'clock'>,
  { organizationId, type, channelId }: { organizationId: string; type: ChannelType; channelId: string },
  { accessToken, check }: { accessToken: string; check: boolean },
): Promise<GivenToken> {
  const checked = check ? await checkChannelToken(context, { type, channelId }, accessToken) : undefined
  const now = new Date(context.clock.now())
  return {
    sealed: context.sealer.seal(checked?.accessToken ?? accessToken, channelTokenContext(organizationId, channelId)),
    record: {
      pageId: checked?.pageId ?? null,
      setAt: now,
      // It may be about to end: it is refreshed at once, if the platform lets us.
      refreshAt: loginOf(accessToken) === 'instagram' ? now : null,
      login: loginOf(accessToken),
      missing: checked?.missing ?? null,
    },
    checked,
  }
}
