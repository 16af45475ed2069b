import { common } from '../words.ts'
import type { words as english, differenceWords as englishDifference } from './words.ts'

const { count, number } = common
const posts = (many: number): string => count(many, 'publicação', 'publicações')

export const words: typeof english = {
  title: 'Aprovações',
  lead: (many) =>
    many === 0
      ? ''
      : `${many === 1 ? '1 publicação aguarda' : `${number(many)} publicações aguardam`} uma decisão, da mais próxima à mais distante.`,
  emptyTitle: 'Nada aguarda por você',
  empty: 'Quando alguém pede a aprovação de uma publicação, ela aparece aqui sozinha.',
  list: 'Publicações que aguardam aprovação',
  choose: 'Escolha uma publicação para lê-la',
  chooseSoonest: 'Ler a mais próxima',
  back: 'Todas as que aguardam',
  goneNow: (status) => `Esta publicação não aguarda mais: agora está como “${status.toLowerCase()}”.`,
  approve: 'Aprovar',
  return: 'Devolver…',
  edit: 'Editar',
  next: 'Próxima',
  select: (text) => `Selecionar “${text}”`,
  selected: (many) => `${posts(many)} ${many === 1 ? 'selecionada' : 'selecionadas'}`,
  clear: 'Limpar',
  approveSelected: (many) => `Aprovar ${posts(many)}`,
  returnSelected: 'Devolver todas…',
  returnTitle: (many) => (many === 1 ? 'Devolver a publicação' : `Devolver ${posts(many)}`),
  returnNotes: 'O que deve mudar?',
  returnHint: 'O autor lê isto ao lado da publicação.',
  returnSubmit: 'Devolver',
  notesMissing: 'Diga o que deve mudar.',
  approved: (time) => `Aprovada. Ela será publicada ${time}.`,
  returned: 'Devolvida ao autor.',
  approvedMany: (many) => `${posts(many)} ${many === 1 ? 'aprovada' : 'aprovadas'}.`,
  returnedMany: (many) => `${posts(many)} ${many === 1 ? 'devolvida' : 'devolvidas'}.`,
  notUndone: (many) =>
    `${many === 1 ? '1 decisão não pôde ser desfeita' : `${number(many)} decisões não puderam ser desfeitas`}.`,
  notDone: (many) => `${posts(many)} ${many === 1 ? 'ficou como estava' : 'ficaram como estavam'}:`,
  changedMeanwhile: 'mudou desde que você a viu',
  changedNow: 'Esta publicação mudou enquanto você a lia.',
  changedBy: (who, what) => `${who} a mudou enquanto você lia: ${what}.`,
  showNew: 'Mostrar a nova versão',
  whyNewer: 'Veja primeiro a nova versão.',
  whyLate: 'O horário dela já passou.',
  whyIncomplete: 'Não foi possível ler o que mudou desde a última decisão.',
  mayNot: 'Você pode ver esta publicação, mas não decidir sobre ela.',
  cannotPublish: 'O horário dela já passou: edite-a e escolha outro antes de aprová-la.',
  written: (who, time) => `${who} pediu aprovação ${time}`,
  firstTime: 'Ninguém decidiu sobre esta publicação antes.',
  since: (isApproved, who, time) => `${isApproved ? 'Aprovada' : 'Devolvida'} por ${who} ${time}`,
  changedSince: 'Mudou desde então:',
  unchanged: 'Nada mudou desde então.',
  history: 'Histórico',
  hashtags: 'Hashtags',
}

export const differenceWords: typeof englishDifference = {
  time: 'Horário',
  none: 'nenhum',
  before: 'Antes',
  now: 'Agora',
  pictureBefore: 'A imagem anterior',
  pictureNow: 'A imagem atual',
  added: 'Um novo canal',
  removed: 'Não está mais neste canal',
  textOn: (channel) => `Texto em ${channel}`,
  superpowerOn: (channel) => `Superpoder em ${channel}`,
  gone: 'Retirado:',
  put: 'Acrescentado:',
  otherwise: 'Outros detalhes mudaram: abra a publicação para vê-los.',
}
