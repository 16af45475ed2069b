import type { ChannelType } from '../interface/generated/types.js'
import { facebook } from './facebook/facebook.js'
import { instagram } from './instagram/instagram.js'
import type { Network } from './network.js'

const NETWORKS: Readonly<Record<ChannelType, Network>> = { FB_PAGE: facebook, INSTAGRAM_ACCOUNT: instagram }

export const networkOf = ({ type }: { type: ChannelType }): Network => NETWORKS[type]
