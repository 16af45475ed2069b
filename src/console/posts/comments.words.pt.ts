import type {
  AutomationMode,
  CommentReason,
  EffectName,
  EffectReason,
  EffectState,
} from '../../interface/automation.ts'
import { common } from '../words.ts'
import type { words as english } from './comments.words.ts'

const { count } = common

const comments: Record<CommentReason, string> = {
  matched: 'Corresponde',
  no_match: 'Nenhuma condição corresponde',
  inactive: 'O superpoder não está ativo',
  expired: 'O superpoder tinha expirado',
  chance: 'Deixado de fora por acaso',
  users_limit: 'O limite de pessoas foi atingido',
  time_limit: 'A pessoa recebeu uma resposta pouco antes',
  own_comment: 'Escrito pela página',
  reply_to_us: 'Uma resposta à página',
  before_switch: 'Anterior à ativação',
  switched_off: 'Os superpoderes estavam desligados',
  stopped: 'O superpoder foi parado',
  opted_out: 'A pessoa pediu para não receber mensagens automáticas',
  human_first: 'Uma pessoa da página respondeu antes',
  too_old: 'Tem mais de 7 dias',
  no_person: 'A plataforma não diz quem escreveu',
}

const effectReasons: Record<EffectReason, string> = {
  chance: 'deixado de fora por acaso',
  no_private_reply: 'a resposta privada não saiu',
  dry_run: 'simulação',
  person_answered: 'a pessoa já teve a única resposta privada desta publicação',
  window: 'tarde demais para a plataforma, que permite 7 dias',
  late: 'uma hora atrasado',
  opted_out: 'a pessoa pediu para não receber mensagens automáticas',
  human_first: 'uma pessoa da página respondeu antes',
  stopped: 'o superpoder foi parado',
  switched_off: 'os superpoderes estavam desligados',
  channel_stopped: 'o canal está parado ou não conectado',
  comment_deleted: 'o comentário não existe mais',
  person_forgotten: 'a pessoa foi apagada',
  already_replied: 'já havia uma resposta privada',
  not_replyable: 'não é possível responder ao comentário',
  not_eligible: 'a plataforma não permite responder a ele',
  not_a_follower: 'a pessoa não segue a conta',
  unavailable: 'não é possível contatar a pessoa',
  other_app: 'outro app está com a conversa',
  refused: 'recusado pela plataforma',
  throttled: 'a plataforma pede para esperar',
  unreachable: 'não é possível acessar a plataforma',
  answer_lost: 'a resposta se perdeu: pode ter saído, e não é enviada de novo',
}

const effects: Record<EffectName, string> = {
  private_reply: 'Resposta privada',
  public_reply: 'Resposta pública',
  like: 'Curtida',
  message: 'Mensagem',
}

const states: Record<EffectState, string> = {
  planned: 'planejado',
  attempting: 'em andamento',
  done: 'enviado',
  refused: 'recusado',
  unknown: 'desconhecido',
  skipped: 'omitido',
}

const modes: Record<AutomationMode, string> = { off: 'Desligados', shadow: 'Simulação', on: 'Ligados' }

export const words: typeof english = {
  title: 'Comentários',
  hint: 'Cada comentário que foi visto, com o que o superpoder fez e por quê.',
  none: 'Nenhum comentário foi visto ainda',
  noneText: 'Os comentários aparecem aqui em um minuto.',
  optOut: 'Excluir das mensagens',
  optOutTitle: (name) => `Não enviar mensagens automáticas a ${name}?`,
  optOutText:
    'Os superpoderes não respondem mais a esta pessoa neste canal. Isso se desfaz em Configurações, Canais, Excluídos das mensagens.',
  optedOut: (name) => `${name} não recebe mais mensagens automáticas`,
  more: 'Mostrar mais',
  comments,
  effectReasons,
  effects,
  states,
  mode: (mode) => `Superpoderes: ${modes[mode].toLowerCase()}`,
  counts: (total, matched) =>
    `${count(total, 'comentário')}, ${matched === 1 ? '1 corresponde' : `${matched} correspondem`}`,
  sent: (sent) => `${sent} ${sent === 1 ? 'enviado' : 'enviados'}`,
  unknown: (unknown) => `${unknown} ${unknown === 1 ? 'desconhecido' : 'desconhecidos'}`,
  newest: (at) => `comentário mais recente ${at}`,
  lastRead: (at) => `última leitura ${at}`,
  notRead: (why) => `Não é possível ler os comentários: ${why}`,
  platformStopped: (why) => `A plataforma parou o canal: ${why}`,
  stopped: (at, reason) => `Parado ${at}: ${reason}`,
  stop: 'Parar o superpoder',
  stopTitle: (channel) => `Parar o superpoder em ${channel}?`,
  stopText:
    'Ele não responde mais a ninguém: o que está planejado é omitido. Ele fica parado, e a hashtag fica livre para outras publicações.',
  reason: 'Motivo',
  wasStopped: 'O superpoder está parado',
  byGroup: (group) => `Grupo ${group + 1}`,
  unnamed: 'Pessoa desconhecida',
  tryTitle: 'Experimentar',
  tryHint: 'Nada é guardado nem enviado.',
  tryComment: 'Um comentário',
  tryName: 'Escrito por',
  try: 'O que aconteceria?',
  nothing: 'Nada é enviado.',
  notExecuted: 'Guardado, mas não executado',
  warnings: 'Vale a pena olhar',
}
