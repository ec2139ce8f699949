"""Questions that belong to the bundled papers, and general terms of their field."""

FIELD_TERMS = tuple(
    term.strip()
    for term in """
    machine learning, deep learning, neural network, neural net, artificial intelligence, language model,
    large language model, llm, transformer, self-attention, attention mechanism, attention head, embedding,
    encoder, decoder, autoencoder, variational autoencoder, gan, generative model, generative adversarial
    network, diffusion model, score matching, convolution, convolutional, cnn, rnn, lstm, gru, recurrent,
    seq2seq, sequence to sequence, backpropagation, gradient, gradient descent, sgd, optimizer, learning rate,
    weight decay, dropout, batch normalization, layer normalization, regularization, overfitting, residual
    connection, resnet, activation function, relu, softmax, cross entropy, loss function, fine-tuning,
    finetune, pretraining, pre-training, pretrained, transfer learning, few-shot, zero-shot, in-context
    learning, prompting, chain of thought, instruction tuning, rlhf, alignment, reward model, reinforcement
    learning, q-learning, policy gradient, actor-critic, markov decision process, imitation learning,
    meta-learning, contrastive learning, self-supervised, semi-supervised, unsupervised learning, supervised
    learning, representation learning, knowledge distillation, quantization, pruning, sparsity, mixture of
    experts, scaling law, tokenization, tokenizer, byte pair encoding, word embedding, word vector, positional
    encoding, context window, long context, machine translation, question answering, summarization, natural
    language processing, nlp, information retrieval, dense retrieval, retrieval augmented generation, rag,
    computer vision, image classification, object detection, image segmentation, semantic segmentation, image
    generation, text-to-image, vision transformer, vit, multimodal, vision-language, speech recognition, graph
    neural network, gnn, graph convolution, node classification, adversarial example, adversarial attack,
    adversarial training, robustness, interpretability, explainability, feature attribution, hallucination,
    benchmark, ablation, inference, decoding, beam search, speculative decoding, kv cache, gpu memory,
    parallel training, hyperparameter, classifier, logistic regression, bert, gpt, clip, lora, neural ode,
    latent space, latent variable, monte carlo tree search, state space model, arxiv, preprint
    """.replace("\n", " ").split(",")
)

IN_SCOPE = (
    "What is the Transformer architecture?",
    "Who wrote Attention Is All You Need?",
    "How does multi-head attention work?",
    "What does BERT use for pre-training?",
    "Explain masked language modelling",
    "How many parameters does GPT-3 have?",
    "What is in-context learning?",
    "why do residual connections make very deep networks trainable",
    "How does Adam adapt its step sizes?",
    "What is the difference between Adam and AdamW?",
    "What does LoRA freeze?",
    "How does low-rank adaptation reduce the number of trainable parameters?",
    "What is retrieval-augmented generation?",
    "Which paper introduced denoising diffusion?",
    "How is noise removed step by step in diffusion models?",
    "What is CLIP trained on?",
    "Does chain-of-thought prompting help with arithmetic?",
    "How are images split into patches in the vision transformer?",
    "How was Llama 2 aligned with human preferences?",
    "Explain direct preference optimization",
    "What makes FlashAttention memory efficient?",
    "What does Chinchilla say about compute-optimal training?",
    "How does InstructGPT use human feedback?",
    "What do the generator and the discriminator do in a GAN?",
    "What is the reparameterization trick?",
    "Why does batch normalization speed up training?",
    "Which Atari games were learned with deep Q-networks?",
    "What is the clipped objective in PPO?",
    "How does word2vec learn word vectors?",
    "Who are the authors of the sequence to sequence paper?",
    "How does attention help neural machine translation?",
    "What is U-Net used for?",
    "How does YOLO detect objects in one pass?",
    "What is selective about Mamba's state spaces?",
    "How do language models decide when to call a tool?",
    "Compare ReAct and Reflexion",
    "What does ColBERT mean by late interaction?",
    "dense passage retrieval vs BM25",
    "How are sentence embeddings computed with siamese networks?",
    "What is text-to-text in T5?",
    "What did RoBERTa change about BERT?",
    "How does ELECTRA train a discriminator over replaced tokens?",
    "How small is DistilBERT compared with its teacher?",
    "What is sliding window attention in the Longformer?",
    "How do rotary position embeddings encode positions?",
    "What is ALiBi?",
    "How does a mixture of experts route tokens?",
    "Papers by Geoffrey Hinton",
    "anything by Kaiming He on self-supervised vision?",
    "What is the lottery ticket hypothesis?",
    "How do adversarial examples fool classifiers?",
    "What are SHAP values?",
    "How does LIME explain predictions?",
    "How does AlphaZero learn chess without human games?",
    "What is MuZero's learned model?",
    "What is a neural radiance field?",
    "Which model segments any object from a prompt?",
    "How does Whisper handle noisy speech?",
    "What are dilated convolutions in WaveNet?",
    "How does quantization make fine-tuning cheaper in QLoRA?",
    "What is speculative decoding?",
    "Which benchmark tests retrieval models zero-shot across domains?",
    "Do models use information in the middle of long contexts?",
    "What does SWE-bench measure?",
)
