import type { Webhook } from '../../interface/generated/types.ts'

/** A webhook without a name is called by its host. */
export const nameOf = ({ name, url }: Pick<Webhook, 'name' | 'url'>): string => name || new URL(url).host
