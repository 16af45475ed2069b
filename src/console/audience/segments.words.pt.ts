import { common } from '../words.ts'
import type { words as english } from './segments.words.ts'

const { count } = common

export const words: typeof english = {
  title: 'Segmentos',
  hint: 'Um segmento é um nome para pessoas que têm algo em comum. Quem está nele resulta das condições, cada vez que você olha.',
  none: 'Ainda não há nenhum segmento.',
  add: 'Novo segmento',
  added: 'O segmento foi salvo.',
  edit: 'Editar',
  changed: 'O segmento mudou.',
  delete: 'Excluir',
  deleted: (name) => `“${name}” foi excluído`,
  show: 'Mostrar',
  name: 'Nome',
  who: 'Quem',
  whos: { any: 'VIPs e outros', vip: 'VIPs', others: 'Todos os que não são VIP' },
  valueAbove: 'Valor vitalício acima de',
  noPurchase: 'Sem compra há quantos dias',
  birthday: 'Aniversário dentro de quantos dias, contando hoje',
  noCondition: 'Preencha pelo menos uma das condições: sem nenhuma, todos estão no segmento.',
  isVip: 'VIPs',
  isNoVip: 'não VIPs',
  isAbove: (value) => `valor acima de ${value}`,
  isQuiet: (days) => `sem compra há ${count(days, 'dia')}`,
  isBirthday: (days) => `aniversário dentro de ${count(days, 'dia')}`,
}
