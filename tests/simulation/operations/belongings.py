"""Documents of a thread. They belong to the life of the thread in which they were added, and go with it."""

from simulation.model import Belonging
from simulation.operations.memory import WHO
from turnkeep import errors
from turnkeep.attachments import Piece


class BelongingOps:
    def op_document(self, op, thread):
        """A file is announced, uploaded and read, each by a request of its own."""
        name, began = f"doc{op.id}", self.sim.now

        def add(has, _):
            form = has.attachments.add(WHO, thread, name, name=f"{name}.txt", size=10, content_type=None)[1].fields
            has.uploads.put(form["key"], form["x-amz-meta-owner"], b"text of a document")
            return form["key"]

        fact = self.facts["documents"][name] = Belonging(thread, name)
        key = self.ask(op, add, tries=1, ends=(errors.NotFound, errors.TooManyDocuments), name="add")
        if not isinstance(key, str):
            return
        fact.acked, fact.born = self.sim.now, self.model.life(thread, began)

        def read(has, _):
            claimed = has.attachments.claim(key)
            if claimed is not None:
                self.sim.sleep(0.05)
                has.attachments.finish(claimed, [Piece("text of a document")], name=claimed.name, kind="txt")
            has.attachments.drop(key)

        self.ask(op, read, tries=2, ends=errors.NotFound, name="read")

    def op_drop_document(self, op, thread, of):
        if fact := self.facts["documents"].get(f"doc{of}"):
            fact.is_gone = True
            drop = lambda has, _: has.attachments.remove(WHO, thread, f"doc{of}")  # noqa: E731
            self.ask(op, drop, tries=2, ends=(errors.NotFound, errors.DocumentNotFound))

    def op_documents(self, op, thread):
        def check(thread, found, began):
            shown = {each.id for each in found or ()}
            self.model.check_listed(self.facts["documents"], thread, shown, began)

        self.look(op, lambda has: has.attachments.documents(WHO, thread), check)
