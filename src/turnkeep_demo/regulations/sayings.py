"""The demo's own sentences, in Italian and English."""

from collections.abc import Mapping

SAYINGS: Mapping[str, Mapping[str, str]] = {
    "it": {
        "greeting": "Buongiorno! ",
        "thanks": "Prego! ",
        "summary": "Non è ancora stato detto niente. ",
        "can": "Rispondo a domande sul diritto tributario e del lavoro italiano citando gli articoli, leggo i "
        "documenti che si allegano e calcolo l'IRPEF lorda.",
        "translate": "Sono una demo e non so tradurre: la domanda si può ripetere in inglese.",
        "known": "Domande che conosco sono, per esempio: {}.",
        "unknown": "Sono una demo e non capisco la domanda abbastanza bene da dire che cosa vi risponda.",
        "nearest": "La fonte più vicina che trovo è {}.",
        "outside": "Rispondo a domande sul diritto tributario e del lavoro italiano, e qui non ne riconosco nessuna. "
        "Se lo era, si può scriverla con le parole della legge.",
        "not_held": "Non trovo “{}” tra le mie fonti.",
        "which": "Di quale legge è “{}”? Trovo tra l'altro: {}.",
        "of_law": "Di “{}” trovo questi articoli: {}.",
        "whole_article": "Questo dice l'articolo; se risponda a tutta la domanda, una demo non sa dirlo.",
        "begins": "Il documento comincia così:",
        "compare": "Se il documento rispetti la legge, una demo non sa dirlo.",
        "computed": "Dagli scaglioni di [{}], senza detrazioni e addizionali:",
        "unread": "Non riesco a leggere come data o importo: {}. Che cosa si intende?",
        "empty": "La base di conoscenza è vuota: prima vanno caricati articoli di legge.",
        "not_attached": "A questa conversazione non è allegato nessun documento con testo. Se ne può allegare uno; una "
        "scansione senza testo non si può leggere.",
        "not_computed": "Non posso calcolarlo: una demo calcola l'IRPEF lorda su un solo importo in euro, e soltanto "
        "per un anno di cui trova gli scaglioni.",
        "professional": "Un caso come questo va fatto esaminare da un professionista: avvocato, commercialista o "
        "consulente del lavoro.",
    },
    "en": {
        "greeting": "Hello! ",
        "thanks": "With pleasure! ",
        "summary": "Nothing has been said yet. ",
        "can": "I answer questions about Italian tax and labour law and cite the articles, read documents that are "
        "attached, and compute gross IRPEF.",
        "translate": "I am a demo and cannot translate: the question can be repeated in Italian.",
        "known": "Questions that I know are, for example: {}.",
        "unknown": "I am a demo and do not understand the question well enough to say what answers it.",
        "nearest": "The nearest source that I find is {}.",
        "outside": "I answer questions about Italian tax and labour law, and recognise none in this. If it was one, it "
        "can be written with the words of the law.",
        "not_held": "I do not find “{}” among my sources.",
        "which": "Of which law is “{}”? I find, among others: {}.",
        "of_law": "Of “{}” I find these articles: {}.",
        "whole_article": "This is what the article says; whether it answers the whole question, a demo cannot tell.",
        "begins": "The document begins like this:",
        "compare": "Whether the document keeps to the law, a demo cannot tell.",
        "computed": "By the brackets of [{}], without tax credits and surcharges:",
        "unread": "I cannot read this as a date or an amount: {}. What is meant?",
        "empty": "The knowledge base is empty: articles of law have to be loaded first.",
        "not_attached": "No document with text is attached to this conversation. One can be attached; a scan without "
        "text cannot be read.",
        "not_computed": "I cannot compute it: a demo computes the gross IRPEF on one amount in euros, and only for a "
        "year whose brackets it finds.",
        "professional": "A case like this should be looked at by a professional: a lawyer, tax adviser or employment "
        "consultant.",
    },
}
