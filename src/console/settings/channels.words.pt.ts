import type { AutomationMode } from '../../interface/automation.ts'
import type { OptOut } from '../../interface/generated/types.ts'
import type { words as english } from './channels.words.ts'

const modes: Record<AutomationMode, string> = {
  off: 'Desligado: nada é feito',
  shadow: 'Simulação: decidir e anotar, sem enviar nada',
  on: 'Ligado: responder aos comentários',
}
const states: Record<AutomationMode, string> = {
  off: 'Os superpoderes estão desligados',
  shadow: 'Os superpoderes estão em simulação',
  on: 'Os superpoderes estão ligados',
}

const sources: Record<OptOut['source'], string> = {
  comment: 'Pediu para parar em um comentário',
  message: 'Pediu para parar em uma mensagem',
  hand: 'Adicionado à mão',
}

export const words: typeof english = {
  superpowers: 'Superpoderes',
  superpowersOf: (name) => `Superpoderes em ${name}`,
  superpowersText:
    'Os comentários anteriores à ativação ficam de fora. Se a plataforma parou o canal, salvar o faz continuar.',
  modes,
  state: (mode) => states[mode],
  notice: 'Aviso',
  noticeHint: 'Abre cada resposta privada automática, por exemplo: Esta é uma mensagem automática.',
  perHour: 'Respostas privadas por hora, no máximo',
  changed: 'Os superpoderes foram mudados',
  stopped: (why) => `A plataforma parou os superpoderes aqui: ${why}`,
  subscription: {
    PENDING: 'A assinatura de mensagens e comentários está em andamento',
    SUBSCRIBED: 'As mensagens e os comentários chegam',
  },
  newestComment: (at) => `Comentário mais recente ${at}`,
  commentsRead: (at) => `Comentários lidos pela última vez ${at}`,
  optOuts: 'Excluídos das mensagens',
  optOutsOf: (name) => `Excluídos das mensagens em ${name}`,
  optOutsText:
    'Os superpoderes não enviam nada a estas pessoas aqui. Um comentário ou uma mensagem que diz STOP inclui quem escreveu.',
  optOutSource: sources,
  fromId: 'Pessoa',
  fromIdHint: 'O id da pessoa na plataforma, como aparece nos comentários e nas mensagens.',
  addOptOut: 'Adicionar',
  optOutAdded: (id) => `${id} não recebe mais mensagens automáticas`,
  removeOptOut: 'Permitir de novo',
  optOutRemoved: (id) => `${id} pode receber mensagens automáticas de novo`,
  noOptOuts: 'Ninguém pediu para ser excluído',
  noOptOutsText: 'Os superpoderes respondem a todos os que comentam.',
  moreOptOuts: 'Mostrar mais',
  refused: (problem) => `As mensagens e os comentários não chegam: ${problem}`,
  logins: { facebook: 'Conectado pelo Facebook Login.', instagram: 'Conectado pelo Instagram Login.' },
  permissionsUnknown: 'A plataforma não informa as permissões dele.',
  lacks: (permission, what) => `Falta ${permission} ao token dele. Não funciona: ${what}.`,
  neededFor: { comments: 'comentários', likes: 'curtidas', messages: 'mensagens privadas', webhooks: 'entregas' },
}
