"""Documents of a thread. They belong to the life of the thread in which they were added, and go with it."""

from types import SimpleNamespace

from simulation.kernel import Violation
from simulation.operations.threads import WHO
from turnkeep import errors
from turnkeep.attachments import Piece
from turnkeep.storage.keys import document_key, partition


class BelongingOps:
    def op_document(self, op, thread):
        """A file is announced, uploaded and read, each by a request of its own."""
        name, began = f"doc{op.id}", self.sim.now

        def add(has, _):
            form = has.attachments.add(WHO, thread, name, name=f"{name}.txt", size=10, content_type=None)[1].fields
            has.uploads.put(form["key"], form["x-amz-meta-owner"], b"text of a document")
            return form["key"]

        key = self.ask(op, add, tries=1, ends=(errors.NotFound, errors.TooManyDocuments), name="add")
        fact = SimpleNamespace(thread=thread, acked=1e18, born=None, is_gone=False)
        self.facts["documents"][name] = fact
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
        began = self.sim.now
        listed = lambda has, _: has.attachments.documents(WHO, thread)  # noqa: E731
        found = self.ask(op, listed, tries=1, ends=errors.NotFound)
        if isinstance(found, list | tuple):
            self.check_documents(thread, {each.id for each in found}, began)

    def check_documents(self, thread, names, began):
        born = self.model.life(thread, began)
        if born is None:
            return
        for name in sorted(names):
            item = self.sim.table.item(partition(WHO, thread), document_key(name)) or {}
            if item.get("born", {"B": born})["B"] != born:
                raise Violation("document of an earlier thread", f"{thread} lists {name}")
        for name, fact in self.facts["documents"].items():
            is_due = fact.thread == thread and fact.born == born and fact.acked < began and not fact.is_gone
            if is_due and name not in names and not self.model.may_be_gone(thread, born):
                raise Violation("document lost", f"{thread} does not list {name}")

    def final_belongings(self, has):
        for thread in self.threads:
            began = self.sim.now
            try:
                documents = {each.id for each in has.attachments.documents(WHO, thread)}
                runs = has.lookup.list(WHO, thread, 50, 0, None)
            except errors.NotFound:
                continue
            self.check_documents(thread, documents, began)
            self.check_runs(thread, runs, began)
