import { common } from '../words.ts'
import type { words as english } from './segments.words.ts'

const { count } = common

export const words: typeof english = {
  title: 'Segmentos',
  hint: 'Un segmento es un nombre para personas que tienen algo en común. Quién está en él depende de sus condiciones, cada vez que lo miras.',
  none: 'Todavía no hay ningún segmento.',
  add: 'Nuevo segmento',
  added: 'El segmento está guardado.',
  edit: 'Editar',
  changed: 'El segmento ha cambiado.',
  delete: 'Eliminar',
  deleted: (name) => `«${name}» se ha eliminado`,
  show: 'Mostrar',
  name: 'Nombre',
  who: 'Quién',
  whos: { any: 'VIP y demás', vip: 'VIP', others: 'Todos los que no son VIP' },
  valueAbove: 'Valor de por vida superior a',
  noPurchase: 'Sin compras desde hace tantos días',
  birthday: 'Cumpleaños dentro de tantos días, contando hoy',
  noCondition: 'Rellena al menos una de las condiciones: sin ninguna, todos están en el segmento.',
  isVip: 'VIP',
  isNoVip: 'no VIP',
  isAbove: (value) => `valor superior a ${value}`,
  isQuiet: (days) => `sin compras desde hace ${count(days, 'día')}`,
  isBirthday: (days) => `cumpleaños dentro de ${count(days, 'día')} como máximo`,
}
