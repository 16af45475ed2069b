import type { KeyPermission, KeyRefusal } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './keys.words.ts'

const { count } = common

const REFUSALS: Record<KeyRefusal, string> = {
  signature: 'su firma no coincide',
  ended: 'está revocada o ha caducado',
  address: 'llegó de una dirección que no está permitida',
  permission: 'no tiene permiso para lo que pidió',
  rate: 'hubo demasiadas peticiones a la vez',
}

/** The permissions that a program of this kind needs. */
const PRESETS = {
  audience: { name: 'Leer la audiencia', permissions: ['channels:read', 'audience:read'] },
  vips: { name: 'Marcar VIP', permissions: ['channels:read', 'audience:read', 'audience:mark'] },
  insights: { name: 'Leer los resultados', permissions: ['insights:read'] },
  posts: {
    name: 'Planificar publicaciones',
    permissions: ['channels:read', 'posts:read', 'posts:write', 'superpowers:read'],
  },
  intake: { name: 'Importar personas', permissions: ['channels:read', 'audience:write'] },
  activity: { name: 'Vigilar la actividad', permissions: ['audit:read', 'settings:read'] },
} satisfies Record<string, { name: string; permissions: KeyPermission[] }>

export const words: typeof english = {
  purpose: 'Finalidad',
  purposeHint: 'Marca lo que necesita un programa así. Cámbialo abajo como quieras.',
  ownChoice: 'Tu propia elección',
  presets: PRESETS,
  editTitle: (name) => `Editar ${name}`,
  editHint: 'Vale desde la próxima petición del programa, que conserva su secreto.',
  perSecond: 'Peticiones por segundo',
  perSecondHint: 'Con picos del doble. 0: sin límite. Vacío: tantas como el servidor permita a una clave.',
  limitedTo: (perSecond) =>
    perSecond === 0
      ? 'Sin límite de peticiones'
      : `Como máximo ${count(perSecond, 'petición', 'peticiones')} por segundo`,
  replacedBy: (name) => `Sustituida por ${name}`,
  refused: (many, time, reason) => `Rechazada ${count(many, 'vez', 'veces')}, la última ${time}: ${REFUSALS[reason]}.`,
}
