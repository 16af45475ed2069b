import type { Webhook } from '../../interface/generated/types.ts'

/** Returns a webhook's name, or else its host. */
export const nameOf = ({ name, url }: Pick<Webhook, 'name' | 'url'>): string => name || new URL(url).host
