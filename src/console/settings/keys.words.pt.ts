import type { KeyPermission, KeyRefusal } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './keys.words.ts'

const { count } = common

const REFUSALS: Record<KeyRefusal, string> = {
  signature: 'a assinatura não confere',
  ended: 'ela está revogada ou expirou',
  address: 'veio de um endereço que não é permitido',
  permission: 'ela não pode fazer o que foi pedido',
  rate: 'houve pedidos demais de uma vez',
}

/** The permissions that a program of this kind needs. */
const PRESETS = {
  audience: { name: 'Ler o público', permissions: ['channels:read', 'audience:read'] },
  vips: { name: 'Marcar VIPs', permissions: ['channels:read', 'audience:read', 'audience:mark'] },
  insights: { name: 'Ler resultados', permissions: ['insights:read'] },
  posts: {
    name: 'Planejar publicações',
    permissions: ['channels:read', 'posts:read', 'posts:write', 'superpowers:read'],
  },
  intake: { name: 'Importar pessoas', permissions: ['channels:read', 'audience:write'] },
  activity: { name: 'Acompanhar a atividade', permissions: ['audit:read', 'settings:read'] },
} satisfies Record<string, { name: string; permissions: KeyPermission[] }>

export const words: typeof english = {
  purpose: 'Finalidade',
  purposeHint: 'Marca o que um programa assim precisa. Mude abaixo como quiser.',
  ownChoice: 'Sua própria escolha',
  presets: PRESETS,
  editTitle: (name) => `Editar ${name}`,
  editHint: 'Vale a partir do próximo pedido do programa, que mantém o segredo.',
  perSecond: 'Pedidos por segundo',
  perSecondHint: 'Em picos, o dobro. 0: sem limite. Vazio: tantos quantos o servidor permite a uma chave.',
  limitedTo: (perSecond) =>
    perSecond === 0 ? 'Sem limite de pedidos' : `No máximo ${count(perSecond, 'pedido')} por segundo`,
  replacedBy: (name) => `Substituída por ${name}`,
  refused: (many, time, reason) => `Recusada ${count(many, 'vez', 'vezes')}, a última ${time}: ${REFUSALS[reason]}.`,
}
